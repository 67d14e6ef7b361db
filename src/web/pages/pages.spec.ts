import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { servePages } from './pages.js';

/** `fetch` would tidy the path up. */
function rawRequest(address: string, path: string): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = get(`${address}/`, { path, agent: false }, (reply) => {
      reply.resume().on('end', () => resolve({ status: reply.statusCode }));
    });
    sent.on('error', reject);
  });
}

describe('The files of the dashboard', () => {
  let directory: string;
  let server: Server;
  let address: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'pages-'));
    mkdirSync(join(directory, 'assets'));
    writeFileSync(join(directory, 'index.html'), '<!doctype html>');
    writeFileSync(join(directory, 'assets', 'page-12345678.js'), 'export {};');
    server = createServer(
      express().use(servePages(directory, { serviceUrl: 'http://127.0.0.1:8000', basePath: '' })),
    );
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(directory, { recursive: true });
  });

  it('fail only a request for a file that a newer build has removed', async () => {
    rmSync(join(directory, 'assets', 'page-12345678.js'));

    await expect(fetch(`${address}/assets/page-12345678.js`).then((reply) => reply.text())).rejects.toThrow();
    expect((await fetch(`${address}/agents`, { headers: { accept: 'text/html' } })).status).toBe(200);
  });

  it.each(['/index.html', '/index%2ehtml', '/%69ndex.html', '/INDEX%2Ehtml', '/assets/%2e%2e/index.html'])(
    'do not include the document without its nonce when %s is requested',
    async (path) => {
      const { status } = await rawRequest(address, path);
      expect(status).not.toBe(200);
    },
  );
});
