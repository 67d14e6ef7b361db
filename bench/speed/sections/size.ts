import { setTimeout as delay } from 'node:timers/promises';
import { below, type Section } from '../section.js';

const MEBIBYTE = 1_024 * 1_024;

export const size: Section = {
  name: 'size',
  asks: 'resident memory of an instance that has just started and does nothing',
  async contenders(bench) {
    const service = await bench.service();
    return [
      {
        name: 'service',
        async measure(seconds) {
          await delay(seconds * 1_000);
          return { memoryBytes: (await service.usage()).memoryBytes };
        },
      },
    ];
  },
  targets: [below(150, 'service', 'memoryBytes', 'MiB', MEBIBYTE)],
};
