import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const CHUNK = Buffer.alloc(64 * 1024, ' ');

/** The provider's behaviour for a request. */
export type Behaviour = 'well' | 'never' | 'slowly' | 'with a redirect' | 'without an end' | 'with no JSON';

/** An identity provider that accepts connections and misbehaves. */
export class MisbehavingProvider {
  behaviour: Behaviour = 'well';
  /** Number of requests that wait for the end of their reply. */
  waiting = 0;
  readonly paths: string[] = [];
  /** The private key of the published one. */
  readonly key: string;
  /** The ID token for any code and any refresh token. */
  idToken = '';
  /** The refresh token for any code; absent: none. */
  refreshToken: string | undefined;
  private readonly publicKey: object;

  private constructor(private readonly server: ReturnType<typeof createServer>) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    this.publicKey = { ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' };
    server.on('request', ({ url = '' }, response) => {
      this.paths.push(url);
      this.waiting++;
      response.once('close', () => this.waiting--);
      this.answer(url, response);
    });
  }

  static async start(): Promise<MisbehavingProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MisbehavingProvider(server);
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private answer(path: string, response: ServerResponse): void {
    const { issuer } = this;
    switch (this.behaviour) {
      case 'well':
        return void response.setHeader('content-type', 'application/json').end(this.document(path));
      case 'never':
        return;
      case 'slowly': {
        response.setHeader('content-type', 'application/json').write('{');
        const drip = setInterval(() => response.write(' '), 100);
        return void response.once('close', () => clearInterval(drip));
      }
      case 'with a redirect':
        return void response.writeHead(302, { location: `${issuer}/elsewhere` }).end();
      case 'without an end': {
        response.setHeader('content-type', 'application/json');
        const pour = () => {
          while (!response.destroyed && response.write(CHUNK));
        };
        response.on('drain', pour);
        return pour();
      }
      case 'with no JSON':
        return void response.setHeader('content-type', 'application/json').end('<html>Sign in</html>');
    }
  }

  private document(path: string): string {
    const { issuer, idToken, refreshToken } = this;
    if (path === '/token') {
      const tokens = { access_token: 'x', token_type: 'bearer', id_token: idToken };
      return JSON.stringify({ ...tokens, refresh_token: refreshToken });
    }
    if (path === '/keys') return JSON.stringify({ keys: [this.publicKey] });
    return JSON.stringify({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      claims_parameter_supported: true,
      id_token_signing_alg_values_supported: ['RS256'],
    });
  }
}
