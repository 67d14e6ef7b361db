import { toolFingerprintOf } from './tool-fingerprint.js';

const OK = { status: 'unset', errorType: null, errorMessage: null } as const;
const FAILED = { status: 'error', errorType: 'E', errorMessage: 'broken' } as const;
const ARGUMENTS = 'gen_ai.tool.call.arguments';
const RESULT = 'gen_ai.tool.call.result';

const of = (
  attributes: Record<string, unknown>,
  failure: Parameters<typeof toolFingerprintOf>[1] = OK,
  tool: string | null = 'search',
) => toolFingerprintOf({ kind: 'tool', tool }, failure, attributes, [])?.toString('hex') ?? null;

const CALL = { [ARGUMENTS]: { q: 'a' }, [RESULT]: 'r' };

describe('The fingerprint of a call of a tool', () => {
  it('is the same 16 bytes for the same call', () => {
    expect(of(CALL)).toMatch(/^[\da-f]{32}$/);
    expect(of({ ...CALL, other: 1 })).toBe(of(CALL));
  });

  it.each<[string, string | null]>([
    ['tool', of(CALL, OK, 'other')],
    ['argument', of({ ...CALL, [ARGUMENTS]: { q: 'b' } })],
    ['result', of({ ...CALL, [RESULT]: 's' })],
    ['failure', of({ [ARGUMENTS]: { q: 'a' } }, FAILED)],
  ])('differs with another %s', (_, fingerprint) => {
    expect(fingerprint).not.toBeNull();
    expect(fingerprint).not.toBe(of(CALL));
  });

  it('takes a failure for a result', () => {
    const args = { [ARGUMENTS]: '{}' };
    expect(of(args, FAILED)).toBe(of(args, { ...FAILED }));
    expect(of(args, FAILED)).not.toBe(of(args, { ...FAILED, errorMessage: 'other' }));
  });

  it.each<[string, string | null]>([
    ['arguments', of({ [RESULT]: 'r' })],
    ['a result', of({ [ARGUMENTS]: {} })],
    ['both', of({})],
  ])('is absent without %s, because a tool that is polled would look like a loop', (_, fingerprint) => {
    expect(fingerprint).toBeNull();
  });

  it('is absent for anything but a tool', () => {
    expect(toolFingerprintOf({ kind: 'llm', tool: null }, OK, CALL, [])).toBeNull();
  });
});
