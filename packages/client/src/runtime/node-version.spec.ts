import { assertNodeIsNewEnough } from './node-version.js';

it.each(['20.16.1', '18.20.8', '9.0.0'])(
  'The check of Node names the required version when this is %s',
  (version) => {
    expect(() => assertNodeIsNewEnough(version)).toThrow(
      `@agent-control-plane/client needs Node 20.19 or newer, and this is Node ${version}: install a newer one`,
    );
  },
);

it.each(['20.19.0', '21.0.0', '24.21.0', process.versions.node])(
  'The check of Node accepts %s',
  (version) => {
    expect(() => assertNodeIsNewEnough(version)).not.toThrow();
  },
);

it('The check of Node agrees with package.json', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  expect(manifest.engines.node).toBe('>=20.19');
});
