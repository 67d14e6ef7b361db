import type { Section } from './section.js';
import { detail } from './sections/detail.js';
import { heartbeat } from './sections/heartbeat.js';
import { hello } from './sections/hello.js';
import { list } from './sections/list.js';
import { hundredLogs, oneLog } from './sections/logs.js';
import { metrics } from './sections/metrics.js';
import { poll } from './sections/poll.js';

export const SECTIONS: readonly Section[] = [
  hello,
  list,
  detail,
  heartbeat,
  oneLog,
  hundredLogs,
  metrics,
  poll,
];
