import { setFlagsFromString } from 'node:v8';

/**
 * To be called before a program loads. Nearly all that is allocated while it loads stays; V8 takes that for a sign that
 * its young generation is too small and makes it as large as it may: 35 MB that an idle service never uses again.
 */
export function holdHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** To be called once it runs: V8's default again, so that under load all is as always. */
export function letHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
