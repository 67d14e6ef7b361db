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

/**
 * Has V8 make all objects in the young generation. By default it makes those of a place in the program in the old one
 * if most of those that the place made before had survived. So they do while little happens: the requests of a poll or of a
 * group of writes are there when the heap is collected. Under load all that such an object refers to would then be kept,
 * until the whole heap is collected. Call it before a program loads.
 */
export function makeAllObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
