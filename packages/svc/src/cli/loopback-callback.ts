import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE = `<!doctype html><meta charset="utf-8"><title>svc</title>
<p style="font-family: sans-serif">Go back to the terminal. You can close this page.</p>`;

/** Waits on this machine for the browser's return from a sign-in (RFC 8252, section 7.3). */
export class LoopbackCallback {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** Listens on a free port of 127.0.0.1, which other machines can't reach. */
  static async listen(): Promise<LoopbackCallback> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return new LoopbackCallback(server, (server.address() as AddressInfo).port);
  }

  /**
   * Answers the browser with a page that sends the person back to the terminal.
   *
   * @param signal ends the wait
   * @returns the query of the browser's request
   * @throws the signal's reason
   */
  query(signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason as Error);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.server.on('request', (request, response) => {
        const [path, query = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
        // browsers ask for an icon, too
        if (request.method !== 'GET' || path !== '/callback') return response.writeHead(404).end();
        response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end(PAGE);
        resolve(query);
      });
    });
  }

  close(): void {
    this.server.close();
    this.server.closeIdleConnections();
  }
}
