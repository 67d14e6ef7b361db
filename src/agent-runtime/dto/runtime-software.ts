import type { RuntimeSoftware } from '../../agents/runtime-software.types.js';
import { cutText } from '../../http/storable-text.js';

export const MAXIMUM_NAME = 100;
export const MAXIMUM_VERSION = 100;
export const MAXIMUM_PROTOCOL = 32_767;

/**
 * Reads the software of a runtime. Parts of another type or out of bounds count as absent, and longer texts are cut:
 * a registration is not refused because of a text for people. Pure.
 *
 * @returns undefined if it has no name
 */
export function readRuntimeSoftware(value: unknown): RuntimeSoftware | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, version, protocol } = value as Partial<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') return undefined;
  return {
    name: cutText(name, MAXIMUM_NAME),
    ...(typeof version === 'string' && version !== '' && { version: cutText(version, MAXIMUM_VERSION) }),
    ...(isProtocol(protocol) && { protocol }),
  };
}

function isProtocol(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAXIMUM_PROTOCOL;
}
