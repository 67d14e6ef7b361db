import { PassThrough } from 'node:stream';
import { createLogger } from './logger.js';

const TREACHEROUS = 'a\u001b[2J\u0007\u009bb\u202ec\u2066d\u2028e\u007f';

async function logged(format: 'json' | 'pretty'): Promise<string> {
  const stream = new PassThrough();
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const logger = createLogger({ LOG_LEVEL: 'info', LOG_FORMAT: format }, stream);
  logger.info({ given: TREACHEROUS }, `message ${TREACHEROUS}`);
  logger.info('quotes " and \\u001b as they are');
  await new Promise((resolve) => setImmediate(resolve));
  return text;
}

describe('The log', () => {
  it.each(['json', 'pretty'] as const)(
    'has no character that a terminal obeys when the format is %s',
    async (format) => {
      const text = await logged(format);
      expect(text).toContain('[2J');
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
    },
  );

  it('is the same data as JSON', async () => {
    const [first, second] = (await logged('json')).trim().split('\n');
    expect(JSON.parse(first!)).toMatchObject({ given: TREACHEROUS, msg: `message ${TREACHEROUS}` });
    expect(JSON.parse(second!)).toMatchObject({ msg: 'quotes " and \\u001b as they are' });
  });
});
