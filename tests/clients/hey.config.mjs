// A package that Node.js loads as it is names files with their extension.
export default {
  input: "openapi.json",
  output: { path: "generated/hey", module: { extension: ".js" } },
};
