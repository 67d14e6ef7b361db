import type { ChildProcess } from 'node:child_process';
import type { ProbeQuestion, ProcessUsage } from './probe.js';

/** To be preloaded into a process that is asked: `node --import`. */
export const PROBE = new URL('./probe.js', import.meta.url).href;

/** @param child a process with the probe, and a channel to this one */
export function askProbe(child: ChildProcess, question: ProbeQuestion): Promise<ProcessUsage> {
  const answered = new Promise<ProcessUsage>((resolve) => {
    const onMessage = (message: { usage?: ProcessUsage }): void => {
      if (!message.usage) return;
      child.off('message', onMessage);
      resolve(message.usage);
    };
    child.on('message', onMessage);
  });
  child.send(question);
  return answered;
}
