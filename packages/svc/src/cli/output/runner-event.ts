import type { RuntimeEvent } from '@agent-control-plane/client/runtime';
import type { Context } from '../context.js';
import { printableJson, printableLine } from './printable.js';

/** Prints an event: a short line for a person, JSON otherwise. */
export function printEvent(event: RuntimeEvent, { terminal, output, now }: Context): void {
  const { level, message, deployment_id: deploymentId, replica } = event;
  if (output === 'json' || terminal.width === undefined) {
    terminal.print(printableJson({ time: now().toISOString(), ...event }));
    return;
  }
  const { colors } = terminal;
  const color = level === 'error' ? colors.red : level === 'warning' ? colors.yellow : (text: string) => text;
  const what = [deploymentId?.slice(-6), replica === undefined ? undefined : `replica ${replica}`]
    .filter((part) => part !== undefined)
    .join(' ');
  const time = colors.dim(now().toTimeString().slice(0, 8));
  terminal.print(`${time} ${what === '' ? '' : `${colors.cyan(what)} `}${color(printableLine(message))}`);
}
