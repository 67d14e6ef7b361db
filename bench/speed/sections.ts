import type { Section } from './section.js';
import { command } from './sections/command.js';
import { detail } from './sections/detail.js';
import { growth } from './sections/growth.js';
import { heartbeat } from './sections/heartbeat.js';
import { hello } from './sections/hello.js';
import { list } from './sections/list.js';
import { login } from './sections/login.js';
import { hundredLogs, oneLog } from './sections/logs.js';
import { metrics } from './sections/metrics.js';
import { poll } from './sections/poll.js';
import { projects } from './sections/projects.js';
import { claim, run } from './sections/runs.js';
import { size } from './sections/size.js';
import { start } from './sections/start.js';
import { spans, traces } from './sections/traces.js';
import { transition } from './sections/transition.js';
import { usage } from './sections/usage.js';
import { waiting } from './sections/waiting.js';
import { webhooks } from './sections/webhooks.js';
import { weight } from './sections/weight.js';

/** Sections in the order in which they run. `docs/performance.tsv` has their targets and latest figures. */
export const SECTIONS: readonly Section[] = [
  hello,
  list,
  projects,
  detail,
  heartbeat,
  oneLog,
  hundredLogs,
  metrics,
  traces,
  spans,
  usage,
  poll,
  command,
  claim,
  run,
  waiting,
  transition,
  webhooks,
  weight,
  login,
  growth,
  start,
  size,
];
