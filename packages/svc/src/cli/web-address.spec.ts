import type { Context } from './context.js';
import { webAddress } from './web-address.js';

/** @param kept the dashboard's address in the context of the service's address */
function found(url: string, environment: Record<string, string>, kept?: string): Promise<string> {
  const login = { name: 'here', api_url: url, api_key: null, refresh_token: null };
  const config = { ...login, ...(kept !== undefined && { web_url: kept }), contexts: [] };
  return webAddress({
    address: { url, source: 'config' },
    config: { read: () => Promise.resolve(config) },
    environment,
  } as unknown as Context);
}

describe('The address of the dashboard', () => {
  const api = 'https://company.example/agents-api';

  it('keeps the path that a dashboard shares its host with', async () => {
    const named = { SERVICE_WEB_URL: 'https://company.example/agents/' };
    expect(await found(api, named)).toBe('https://company.example/agents');
    expect(await found(api, {}, 'https://company.example/agents')).toBe('https://company.example/agents');
  });
});
