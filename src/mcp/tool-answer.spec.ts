import { ANSWER_BYTES, itemsThatFit, toResult } from './tool-answer.js';

const AGENT_TEXT = ['message'];
const CURSOR = 'before=0192f0c4-2b1d-7c55-b1c7-7d0f2f6c8e90&before_state=withdrawn';

function textOf(data: unknown): string {
  const [part] = toResult({ data, nextCursor: CURSOR }, AGENT_TEXT).content;
  return (part as { readonly text: string }).text;
}

describe('The items that fit into an answer', () => {
  it("are complete, with the API's properties next to them, for any content", () => {
    const beside = { total: 900, limit: 500, filter: 'x'.repeat(200) };
    for (const message of ['', 'ä'.repeat(30), '"\\'.repeat(20), '\u202e\u0000\u{e0041}'.repeat(9), '😀'])
      for (let length = 0; length < 60; length++) {
        const items = Array.from({ length: 500 }, () => ({ message: message + 'x'.repeat(length) }));
        for (const whole of [items, { ...beside, items }]) {
          const shown = items.slice(0, itemsThatFit(whole, AGENT_TEXT));
          const data = Array.isArray(whole) ? shown : { ...whole, items: shown };
          const text = textOf(data);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ANSWER_BYTES);
          expect((JSON.parse(text) as { readonly data: unknown }).data).toEqual(data);
        }
      }
  });
});
