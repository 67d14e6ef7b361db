import { readWebSettings, WebSettingsError } from './web-settings.js';

/** The message with which these settings are refused. */
function refusalOf(environment: Record<string, string>): string {
  try {
    readWebSettings(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(WebSettingsError);
    return (error as Error).message;
  }
  throw new Error(`Nothing was refused in ${JSON.stringify(environment)}`);
}

describe('Without any variable', () => {
  it('the web server listens on loopback and expects the service there', () => {
    expect(readWebSettings({})).toEqual({
      WEB_HOST: '127.0.0.1',
      WEB_PORT: 3000,
      WEB_PUBLIC_URL: '',
      SERVICE_URL: 'http://127.0.0.1:8000',
      PUBLIC_URL: 'http://127.0.0.1:8000',
      TRUST_PROXY: false,
      MAX_BODY_BYTES: 1_048_576,
      DRAIN_TIMEOUT_SECONDS: 20,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
    });
  });

  it('an empty one counts as absent', () => {
    const empty = Object.fromEntries(Object.keys(readWebSettings({})).map((name) => [name, '']));
    expect(readWebSettings(empty)).toEqual(readWebSettings({}));
  });
});

describe('An invalid variable', () => {
  it.each([
    ['WEB_PORT', ['-1', '65536', 'x', '1.5', ' ']],
    ['MAX_BODY_BYTES', ['1', '1e6']],
    ['DRAIN_TIMEOUT_SECONDS', ['601', 'soon']],
    ['PORT', ['web']],
    [
      'WEB_PUBLIC_URL',
      ['nonsense', 'ftp://a.b', 'https://a.b/c d', 'https://a.b/?c', 'https://u:p@a.b', 'a.b'],
    ],
    ['SERVICE_URL', ['nonsense', 'localhost:8000', 'http://u:hunter2@a.b', 'http://a.b/?c=d']],
    ['PUBLIC_URL', ['nonsense', 'ftp://a.b']],
    ['TRUST_PROXY', ['nonsense', '10.0.0.0/33', 'loopback,nonsense']],
    ['LOG_LEVEL', ['loud']],
    ['LOG_FORMAT', ['xml']],
  ] as [string, string[]][])('stops the start with one line that names the variable: %s', (name, values) => {
    for (const value of values) {
      expect(refusalOf({ [name]: value })).toMatch(new RegExp(`^Invalid settings: ${name}: [^\n]+$`));
      expect(refusalOf({ [name]: value })).not.toContain('hunter2');
    }
  });
});

describe('A valid value', () => {
  it('of an address is read without its trailing slash', () => {
    expect(readWebSettings({ SERVICE_URL: 'http://service:8000/base/' })).toMatchObject({
      SERVICE_URL: 'http://service:8000/base',
      PUBLIC_URL: 'http://service:8000/base',
    });
    expect(readWebSettings({ PORT: '8001' }).SERVICE_URL).toBe('http://127.0.0.1:8001');
    expect(readWebSettings({ PUBLIC_URL: 'https://api.example.com' })).toMatchObject({
      SERVICE_URL: 'http://127.0.0.1:8000',
      PUBLIC_URL: 'https://api.example.com',
    });
  });

  it("of the dashboard's address is read in the form of browsers, without its trailing slash", () => {
    expect(
      readWebSettings({ WEB_PUBLIC_URL: 'HTTPS://Control.Example.com:443/Agents/' }).WEB_PUBLIC_URL,
    ).toBe('https://control.example.com/Agents');
  });

  it.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['loopback, 10.0.0.0/8', 'loopback, 10.0.0.0/8'],
  ])('of TRUST_PROXY is accepted: %s', (text, value) => {
    expect(readWebSettings({ TRUST_PROXY: text }).TRUST_PROXY).toBe(value);
  });
});
