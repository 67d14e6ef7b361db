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

const FRAMES = {
  signedIn: {
    '/agents': 'agents',
    '/agents/:id': 'one agent <a href="./agents">',
    '*': 'any',
  },
  signedOut: { '/sign-up': 'sign up', '*': 'sign in' },
};

describe('The files of the dashboard', () => {
  let directory: string;
  let server: Server;
  let address: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'pages-'));
    mkdirSync(join(directory, 'assets'));
    writeFileSync(join(directory, 'index.html'), '<!doctype html><div id="root"></div>');
    writeFileSync(join(directory, 'frames.json'), JSON.stringify(FRAMES));
    writeFileSync(join(directory, 'assets', 'page-12345678.js'), 'export {};');
    server = createServer(
      express().use(
        servePages(directory, {
          serviceUrl: 'http://127.0.0.1:8000',
          basePath: '/base',
          isSignedIn: ({ headers }) => headers.cookie !== undefined,
        }),
      ),
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

  it.each([
    '/index.html',
    '/frames.json',
    '/frames%2ejson',
    '/index%2ehtml',
    '/%69ndex.html',
    '/INDEX%2Ehtml',
    '/assets/%2e%2e/index.html',
  ])('do not include the document without its nonce when %s is requested', async (path) => {
    const { status } = await rawRequest(address, path);
    expect(status).not.toBe(200);
  });

  it.each([
    ['/agents', 'agents'],
    ['/agents/', 'agents'],
    ['/agents/0192', 'one agent <a href="/base/agents">'],
    ['/agents/0192/logs', 'any'],
    ['/', 'any'],
  ])('have the frame of the page %s for a request with a session', async (path, frame) => {
    const reply = await fetch(`${address}${path}`, { headers: { cookie: 'session', accept: 'text/html' } });
    expect(await reply.text()).toBe(`<!doctype html><div id="root">${frame}</div>`);
  });

  it.each([
    ['/sign-in?next=%2Fagents', 'sign in'],
    ['/agents', 'sign in'],
    ['/sign-up', 'sign up'],
  ])('have no frame of a page behind the session for a request without one: %s', async (path, frame) => {
    const reply = await fetch(`${address}${path}`, { headers: { accept: 'text/html' } });
    expect(await reply.text()).toBe(`<!doctype html><div id="root">${frame}</div>`);
  });
});
