import { readManifest } from '../cli/commands/apply/manifest.js';

const manifest = (config: string) => `agents:\n  - name: ticker\n    config: ${config}\n`;
const configOf = (config: string) => readManifest(manifest(config))[0]!.config;

describe('The numbers of a manifest', () => {
  it('are kept as they were written when they are variables of a process', () => {
    const env = configOf(
      '{ env: { PIN: 01234, VERSION: 1.10, ID: 12345678901234567890, PORT: 8080, BIG: 1e400 } }',
    );
    expect(env).toEqual({
      env: { PIN: '01234', VERSION: '1.10', ID: '12345678901234567890', PORT: 8080, BIG: '1e400' },
    });
  });

  it.each(['01234', '1.10', '12345678901234567890', '.nan', '0x1F'])(
    'are refused elsewhere when they would become another text: %s',
    (written) => {
      expect(() => configOf(`{ model: { version: ${written} } }`)).toThrow(
        `agents[0].config.model.version is ${written}, which would be stored as another number: ` +
          `write "${written}" in quotes for a text`,
      );
    },
  );

  it('are numbers when that loses nothing, and text when they are in quotes', () => {
    expect(configOf('{ a: 7, b: 1.5, c: "01234", d: [-3] }')).toEqual({ a: 7, b: 1.5, c: '01234', d: [-3] });
    expect(configOf('{ 1.10: x }')).toEqual({ '1.10': 'x' });
  });
});
