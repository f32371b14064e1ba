// Node.js loads the generated files directly, so imports need file extensions.
export default {
  input: "openapi.json",
  output: { path: "generated/hey", module: { extension: ".js" } },
};
