/** Body of `GET /` of the service. */
export function hello(host: string | undefined): object {
  const address = `http://${host ?? 'localhost'}`;
  return {
    name: 'agent-control-plane',
    version: '0.1.0',
    documentation_url: `${address}/docs`,
    openapi_url: `${address}/openapi.json`,
  };
}
