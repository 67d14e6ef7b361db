import { assertNodeIsNewEnough } from './node-version.js';

it.each(['20.19.5', '22.17.1', '18.0.0'])('says which Node is needed when this is %s', (version) => {
  expect(() => assertNodeIsNewEnough(version)).toThrow(
    `agent-control-plane needs Node 22.18 or newer, and this is Node ${version}: install a newer one`,
  );
});

it.each(['22.18.0', '23.0.0', '24.21.0', process.versions.node])('is content with %s', (version) => {
  expect(() => assertNodeIsNewEnough(version)).not.toThrow();
});

it('agrees with package.json', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  expect(manifest.engines.node).toBe('>=22.18');
});
