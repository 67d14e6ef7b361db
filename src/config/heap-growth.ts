import { setFlagsFromString } from 'node:v8';

/**
 * Stops V8 from growing its young generation. Call it before a program loads: nearly everything that is allocated then
 * survives, so V8 would grow the young generation to its maximum, 35 MB that an idle service never uses again.
 */
export function holdHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Restores V8's default. Call it when the program has loaded, so that load is handled as usual. */
export function letHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
