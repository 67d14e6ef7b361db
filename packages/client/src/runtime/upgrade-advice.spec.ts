import type { RuntimeEvent } from './runtime-events.js';
import { UpgradeAdvice } from './upgrade-advice.js';

it('Advice to upgrade is reported once, and again after a reply without it', () => {
  const events: RuntimeEvent[] = [];
  const advice = new UpgradeAdvice((event) => events.push(event));
  for (const upgrade of ['upgrade a', 'upgrade a', 'upgrade b', undefined, 'upgrade b'])
    advice.follow(upgrade);
  expect(events.map(({ message }) => message)).toEqual(['upgrade a', 'upgrade b', 'upgrade b']);
  expect(events[0]).toMatchObject({ level: 'warning', event: 'upgrade' });
});
