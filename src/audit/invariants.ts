import type { Invariant } from './invariant.types.js';
import { AGENT_INVARIANTS } from './invariants/agent-invariants.js';
import { COMMAND_INVARIANTS } from './invariants/command-invariants.js';
import { DELIVERY_INVARIANTS } from './invariants/delivery-invariants.js';
import { HISTORY_INVARIANTS } from './invariants/history-invariants.js';
import { HOUSEKEEPING_INVARIANTS } from './invariants/housekeeping-invariants.js';
import { RELATION_INVARIANTS } from './invariants/relation-invariants.js';

export const INVARIANTS: readonly Invariant[] = [
  ...HISTORY_INVARIANTS,
  ...AGENT_INVARIANTS,
  ...COMMAND_INVARIANTS,
  ...DELIVERY_INVARIANTS,
  ...RELATION_INVARIANTS,
  ...HOUSEKEEPING_INVARIANTS,
];
