import {
  type Config,
  contextAt,
  contextCalled,
  loginAtTwin,
  NO_CONFIG,
  withContext,
  withCurrent,
  withLogin,
  withoutContext,
  withProject,
  withTokens,
} from './contexts.js';

const LOCAL = 'http://127.0.0.1:8000';
const STAGING = 'https://staging.example.com';
const tokens = (name: string) => ({ api_key: `${name}.access`, refresh_token: `${name}.refresh` });

const both = withLogin(withLogin(NO_CONFIG, LOCAL, tokens('local')), STAGING, tokens('staging'));

describe('The contexts of the config file', () => {
  it('hold one login for each address, and the newest login is the current one', () => {
    expect(both).toEqual({
      name: 'staging.example.com',
      api_url: STAGING,
      ...tokens('staging'),
      contexts: [{ name: '127.0.0.1:8000', api_url: LOCAL, ...tokens('local') }],
    });
    const again = withLogin(both, LOCAL, tokens('new'));
    expect(contextAt(again, LOCAL)).toMatchObject(tokens('new'));
    expect(again).toMatchObject({ api_url: LOCAL, contexts: [{ api_url: STAGING }] });
  });

  it('are chosen by name or address, and the others stay', () => {
    const used = withCurrent(both, contextCalled(both, LOCAL));
    expect(used).toMatchObject({ api_url: LOCAL, contexts: [{ api_url: STAGING, ...tokens('staging') }] });
    expect(contextCalled(both, 'staging.example.com').api_url).toBe(STAGING);
    expect(() => contextCalled(both, 'prod')).toThrow('there are staging.example.com, 127.0.0.1:8000');
  });

  it('refuse a name or an address that another one has', () => {
    const added = withContext(NO_CONFIG, { name: 'local', api_url: LOCAL });
    expect(added).toMatchObject({ name: 'local', api_url: LOCAL, contexts: [] });
    expect(() => withContext(added, { name: 'other', api_url: LOCAL })).toThrow('svc context remove local');
    expect(() => withContext(added, { name: 'local', api_url: STAGING })).toThrow('svc context remove local');
    expect(withContext(both, { name: 'prod', api_url: 'https://example.com' }).contexts).toHaveLength(2);
  });

  it('leave the default address when the current one is removed', () => {
    const left = withoutContext(both, both.name);
    expect(left).toEqual({ ...NO_CONFIG, contexts: both.contexts });
    expect(withLogin(left, LOCAL, tokens('again')).contexts).toEqual([]);
  });

  it('store renewed tokens, and none after a logout', () => {
    expect(withTokens(both, LOCAL, tokens('renewed'))).toMatchObject({
      ...tokens('staging'),
      contexts: [tokens('renewed')],
    });
    const out = withoutContext(both, '127.0.0.1:8000');
    expect(withTokens(out, LOCAL, tokens('renewed'))).toEqual(out);
  });

  it('remember a project for one address, through a renewal and a login, until it is forgotten', () => {
    const remembered = withProject(both, LOCAL, 'payments');
    expect(remembered.project_id).toBeUndefined();
    expect(contextAt(remembered, LOCAL)?.project_id).toBe('payments');
    const renewed = withLogin(withTokens(remembered, LOCAL, tokens('new')), LOCAL, tokens('newer'));
    expect(renewed).toMatchObject({ project_id: 'payments', ...tokens('newer') });
    expect(contextAt(renewed, STAGING)?.project_id).toBeUndefined();
    expect(withProject(renewed, LOCAL, undefined).project_id).toBeUndefined();
  });

  it('use a credential without an address for any given address', () => {
    const byHand: Config = { ...NO_CONFIG, api_url: null, api_key: 'svc_user_x' };
    expect(contextAt(byHand, STAGING)?.api_key).toBe('svc_user_x');
    expect(contextAt({ ...byHand, api_url: LOCAL }, STAGING)).toBeUndefined();
  });

  it('name the login at another address of the same machine', () => {
    expect(loginAtTwin(both, 'http://localhost:8000')?.api_url).toBe(LOCAL);
    expect(loginAtTwin(both, 'http://[::1]:8000')?.api_url).toBe(LOCAL);
    expect(loginAtTwin(both, LOCAL)).toBeUndefined();
    expect(loginAtTwin(both, 'http://localhost:8001')).toBeUndefined();
    expect(loginAtTwin(withoutContext(both, '127.0.0.1:8000'), 'http://localhost:8000')).toBeUndefined();
  });
});
