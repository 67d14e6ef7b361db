import { JSON_TYPE, PROTOBUF_TYPE, rejectionIn } from './otlp-export.js';

const json = (reply: unknown) => rejectionIn(Buffer.from(JSON.stringify(reply)), JSON_TYPE);
const protobuf = (...bytes: number[]) => rejectionIn(Uint8Array.from(bytes), PROTOBUF_TYPE);

describe('A reply to an export', () => {
  it.each([
    ['is empty in JSON', json({})],
    ['is empty in Protocol Buffers', protobuf()],
    ['has only a warning', json({ partialSuccess: { errorMessage: 'slowly, please' } })],
    ['is no such message', protobuf(0x0b)],
    ['is no JSON', rejectionIn(Buffer.from('ok'), JSON_TYPE)],
  ])('tells of no loss where it %s', (_, loss) => {
    expect(loss).toBeUndefined();
  });

  it('reports rejected entries, in either encoding', () => {
    const loss = { kind: 'rejected', count: 3, reason: 'no' };
    expect(json({ partialSuccess: { rejectedSpans: '3', errorMessage: 'no' } })).toEqual(loss);
    expect(json({ partialSuccess: { errorMessage: 'no', rejectedLogRecords: 3 } })).toEqual(loss);
    expect(protobuf(0x0a, 6, 0x08, 3, 0x12, 2, 0x6e, 0x6f)).toEqual(loss);
  });
});
