import { SsoStage } from './builders/single-sign-on.js';
import { signInWith } from './builders/sso-groups.js';
import type { TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const ADDRESS = 'https://control.example.com/api';
const RESOURCE = `${ADDRESS}/mcp`;

let stage: SsoStage;

beforeAll(async () => {
  stage = await SsoStage.open({ PUBLIC_URL: ADDRESS });
});

afterAll(() => stage.close());

async function callTool(token: string, { url }: Pick<TestApp, 'url'> = stage.service) {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'find_agents', arguments: {} },
  };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify(call),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('With single sign-on', () => {
  it('a 401 names the document that names the identity provider', async () => {
    const challenge = (await callTool('garbage')).headers.get('www-authenticate');
    expect(challenge).toContain(`resource_metadata="${ADDRESS}/.well-known/oauth-protected-resource/mcp"`);
    for (const part of ['', '/mcp']) {
      const response = await fetch(`${stage.service.url}/.well-known/oauth-protected-resource${part}`);
      expect(await response.json()).toEqual({
        resource: RESOURCE,
        resource_name: 'Agent control plane',
        authorization_servers: [stage.provider.issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: ['openid'],
      });
    }
  });

  it("an assistant calls with the identity provider's token, as a person who has logged in before", async () => {
    stage.newcomer();
    const person = await signInWith(stage);
    const { id } = (await person.api.post('/agents', { name: 'of the person' })).body;
    const token = stage.provider.accessToken(RESOURCE);
    for (let times = 0; times < 2; times++) {
      const { status, text } = await callTool(token);
      expect([status, text]).toEqual([200, expect.stringContaining(id)]);
    }
    await until(async () => {
      const [call] = (await person.api.get('/audit?action=mcp.call')).body;
      return call?.actor === `user:${person.id}` && call.outcome === 'success';
    });
  });

  it('a token for another audience, of another issuer or out of its time is refused', async () => {
    stage.newcomer();
    await signInWith(stage);
    const { provider } = stage;
    const now = Math.floor(Date.now() / 1_000);
    const [header, claims] = provider.accessToken(RESOURCE).split('.');
    const without = Buffer.from('{"alg":"none"}').toString('base64url');
    const refused = {
      'for the client that logs people in': provider.accessToken('control-plane'),
      'for another address': provider.accessToken(`${ADDRESS}/other`),
      'for nobody': provider.accessToken(RESOURCE, { aud: undefined }),
      expired: provider.accessToken(RESOURCE, { exp: now - 1 }),
      'without an end': provider.accessToken(RESOURCE, { exp: undefined }),
      'not valid yet': provider.accessToken(RESOURCE, { nbf: now + 60 }),
      'of another issuer': provider.accessToken(RESOURCE, { iss: 'https://evil.example' }),
      'signed by somebody else': provider.accessToken(RESOURCE, {}, provider.strangersKey()),
      'without a signature': `${without}.${claims!}.`,
      'with another signature': `${header!}.${claims!}.${'A'.repeat(86)}`,
      'of somebody who has never logged in': provider.accessToken(RESOURCE, { sub: 'a stranger' }),
    };
    for (const [kind, token] of Object.entries(refused))
      expect([kind, (await callTool(token)).status]).toEqual([kind, 401]);
  });

  it('a token of the provider is taken on no other route', async () => {
    stage.newcomer();
    await signInWith(stage);
    const token = stage.provider.accessToken(RESOURCE);
    expect((await callTool(token)).status).toBe(200);
    for (const path of ['/agents', '/auth/me', '/api-keys', '/auth/sessions'])
      expect([path, (await stage.service.api.as(token).get(path)).status]).toEqual([path, 401]);
  });

  it('a token ends with the account, at once', async () => {
    stage.newcomer();
    const person = await signInWith(stage);
    const token = stage.provider.accessToken(RESOURCE);
    expect((await callTool(token)).status).toBe(200);
    await stage.operator.api.patch(`/users/${person.id}`, { is_active: false });
    expect((await callTool(token)).status).toBe(403);
  });

  it('a token is a 503 while the keys of the provider are not known and it does not answer', async () => {
    stage.newcomer();
    const token = stage.provider.accessToken(RESOURCE);
    stage.provider.isAway = true;
    expect((await callTool(token, stage.company)).status).toBe(503);
    stage.provider.isAway = false;
    expect((await callTool(token, stage.company)).status).toBe(401);
  });
});
