// Shows the document, by an address that is relative so that it holds below any base URL.
SwaggerUIBundle({
  dom_id: "#ui",
  url: ".well-known/openapi.json",
  deepLinking: true,
});
