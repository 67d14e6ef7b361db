// Starts the API's page, which `reference.js` (Scalar) draws in the element with the id `api`.
Scalar.createApiReference('#api', {
  // beside the folder of this file, whatever prefix a proxy strips
  url: new URL('../openapi.json', document.currentScript.src).href,
  theme: 'none',
  documentDownloadType: 'json',
  authentication: { preferredSecurityScheme: 'access_token' },
  // a token is forgotten with the page: whatever reads the browser's storage finds none
  persistAuth: false,
  // nothing of another host: no fonts, statistics, assistant, or client to install
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
});
