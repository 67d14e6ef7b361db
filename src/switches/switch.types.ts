/** Names of the switches. */
export type SwitchName = 'maintenance' | 'log_level';

/** A switch that is on. */
export interface SwitchSetting {
  readonly value: string;
  /** ISO 8601; null: until a person turns it off. */
  readonly endsAt: string | null;
  /** `user:<id>`. */
  readonly setBy: string;
  readonly setAt: string;
}

/** A switch that is on, and the time that is left of it by the database's clock; milliseconds; null: no end. */
export interface TimedSetting extends SwitchSetting {
  readonly name: SwitchName;
  readonly leftMs: number | null;
}
