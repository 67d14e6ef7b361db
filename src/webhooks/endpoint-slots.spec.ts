import { EndpointSlots, type Slot } from './endpoint-slots.js';

const take = (slots: EndpointSlots, endpoint: string, count: number) =>
  Array.from({ length: count }, () => slots.take(endpoint));

function end(slots: EndpointSlots, slot: Slot, succeeded: boolean): void {
  slots.answered(slot, succeeded);
  slots.giveBack(slot);
}

/** How many the endpoint would get if it came alone. */
const sharesOf = (slots: EndpointSlots, ...endpoints: string[]) =>
  slots.allot(endpoints).shares.map(({ endpointId, slots: count }) => `${endpointId}${count}`);

describe('The slots of an endpoint', () => {
  it('are few before its first success', () => {
    const slots = new EndpointSlots(100, 10);
    expect(sharesOf(slots, 'a', 'b')).toEqual(['a2', 'b2']);
    take(slots, 'a', 2);
    expect(slots.allot(['a', 'b'])).toEqual({
      shares: [{ endpointId: 'b', slots: 2 }],
      saturated: ['a'],
      isShort: false,
    });
  });

  it('grow by one with each success up to the maximum', () => {
    const slots = new EndpointSlots(100, 4);
    for (const earned of ['a3', 'a4', 'a4']) {
      end(slots, slots.take('a'), true);
      expect(sharesOf(slots, 'a')).toEqual([earned]);
    }
  });

  it('are reduced to one by a failure', () => {
    const slots = new EndpointSlots(100, 10);
    for (const succeeded of [true, true, false]) end(slots, slots.take('a'), succeeded);
    expect(sharesOf(slots, 'a')).toEqual(['a1']);
  });

  it('are empty while more attempts run than are allowed now', () => {
    const slots = new EndpointSlots(100, 10);
    const [first, second] = take(slots, 'a', 2);
    slots.answered(first!, false);
    expect(sharesOf(slots, 'a')).toEqual([]);
    slots.answered(second!, true);
    expect(sharesOf(slots, 'a')).toEqual(['a2']);
  });

  it('are at most the maximum for one endpoint, even at first', () => {
    expect(sharesOf(new EndpointSlots(100, 1), 'a')).toEqual(['a1']);
  });
});

describe('The slots of all endpoints', () => {
  it('stay in use until the attempt ends', () => {
    const slots = new EndpointSlots(2, 10);
    const slot = slots.take('a');
    slots.answered(slot, true);
    expect(slots.free).toBe(1);
    slots.giveBack(slot);
    expect(slots.free).toBe(2);
  });

  it('are half reserved for endpoints with successes', () => {
    const slots = new EndpointSlots(6, 10);
    for (const endpoint of ['good', 'good', 'good', 'good']) end(slots, slots.take(endpoint), true);
    end(slots, slots.take('bad'), false);
    expect(slots.allot(['new', 'bad', 'other', 'good'])).toEqual({
      shares: [
        { endpointId: 'new', slots: 2 },
        { endpointId: 'bad', slots: 1 },
        { endpointId: 'good', slots: 6 },
      ],
      saturated: [],
      isShort: true,
    });
    take(slots, 'new', 2);
    take(slots, 'bad', 1);
    expect(sharesOf(slots, 'other', 'good')).toEqual(['good3']);
  });

  it('are free for a new endpoint when the attempt of another new endpoint ends, even with a success', () => {
    const slots = new EndpointSlots(2, 10);
    const slot = slots.take('new');
    expect(sharesOf(slots, 'other')).toEqual([]);
    end(slots, slot, true);
    expect(sharesOf(slots, 'other')).toEqual(['other1']);
  });

  it('include one for new endpoints even when there is only one slot', () => {
    expect(sharesOf(new EndpointSlots(1, 10), 'a', 'b')).toEqual(['a1']);
  });
});
