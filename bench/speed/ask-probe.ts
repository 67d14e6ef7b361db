import type { ChildProcess } from 'node:child_process';
import type { ProbeQuestion, ProcessUsage } from './probe.js';

/** Module to preload into the measured process (`node --import`). */
export const PROBE = new URL('./probe.js', import.meta.url).href;

/**
 * @param child a process with the probe, and a channel to this one
 * @throws when it has ended, or ends before it answers
 */
export function askProbe(child: ChildProcess, question: ProbeQuestion): Promise<ProcessUsage> {
  return new Promise<ProcessUsage>((resolve, reject) => {
    const settle = (): void => {
      child.off('message', onMessage);
      child.off('disconnect', onDisconnect);
    };
    const onMessage = (message: { usage?: ProcessUsage }): void => {
      if (!message.usage) return;
      settle();
      resolve(message.usage);
    };
    const onDisconnect = (): void => {
      settle();
      reject(new Error('The process has ended'));
    };
    child.on('message', onMessage);
    child.on('disconnect', onDisconnect);
    child.send(question, (error) => {
      if (error) onDisconnect();
    });
  });
}
