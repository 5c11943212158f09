// Runs in the browser, beside swagger-ui-bundle.js. No validator: it would send the text to another host.
globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#interface',
  deepLinking: true,
  validatorUrl: null,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  persistAuthorization: false,
});
