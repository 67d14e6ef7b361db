import { failsWhenRefused } from '../checks/endings.js';
import { CALLS_AFTER_REFUSAL, fallsSilent } from '../checks/failures.js';
import { endsItsWork } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

/** Time that an agent may take to be sure of the refusal. */
const LONGEST_DOUBT_MS = 60_000;
/** Silence after which no further call is expected. */
const SILENCE_MS = 8_000;

export const refusedForGood: Scenario = {
  name: 'refused-for-good',
  title: 'the key is revoked while replicas run: 401 from now on',
  judges: [fallsSilent, endsItsWork, failsWhenRefused],
  async play(stage) {
    await stage.deployed();
    const { service, replicas } = stage;
    service.refuseKey();
    const isOver = () => {
      const refused = service.calls.filter(({ status }) => status === 401);
      const last = refused.at(-1)?.at ?? service.refusedAt!;
      if (refused.length > CALLS_AFTER_REFUSAL) return true;
      return Boolean(stage.agent?.end) || service.now() - last > SILENCE_MS;
    };
    const end = service.now() + LONGEST_DOUBT_MS;
    while (!isOver() && service.now() < end) await stage.watch(100);
    if (!replicas.isInUse) return;
    const hasEnded = await stage.comes(() => replicas.alive === 0, 3_000);
    stage.judge(endsItsWork, hasEnded ? null : `${replicas.alive} replicas still run`);
    // so that its silence can be distinguished from a pause
    if (!stage.agent?.end) await stage.watch(2_000);
  },
};
