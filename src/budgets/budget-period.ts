/** A local time that comes twice is taken for the later one; the beginning of a period before it is at least this much earlier. */
const BEFORE = `interval '12 hours'`;

/**
 * SQL for the period that a moment is in, as a row of `started_at` and `resets_at`. Periods begin by the clock of a zone. Where a day
 * has 23 or 25 hours, so has its period, and an hour is one hour long. Where midnight comes twice, the day before lasts until the
 * second one.
 *
 * @param at SQL for the moment
 * @param period SQL for `hour`, `day` or `month`
 * @param zone SQL for the name of the zone
 */
export const periodAt = (at: string, period: string, zone: string) => `(
  SELECT started_at, CASE ${period} WHEN 'hour' THEN started_at + interval '1 hour'
    ELSE (date_trunc(${period}, started_at AT TIME ZONE ${zone}) + ('1 ' || ${period})::interval) AT TIME ZONE ${zone} END AS resets_at
  FROM (
    SELECT CASE WHEN begun > ${at} THEN date_trunc(${period}, begun - ${BEFORE}, ${zone}) ELSE begun END AS started_at
    FROM (SELECT date_trunc(${period}, ${at}, ${zone}) AS begun) AS local
  ) AS beginning
)`;
