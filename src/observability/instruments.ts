import { Registry } from 'prom-client';

/** The registry of this process's counters and histograms. Each part of the service defines its own next to the code that adds to them. */
export const instruments = new Registry();
