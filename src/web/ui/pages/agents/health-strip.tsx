import { useClock } from '../../components/clock.js';
import { useHealthHours } from '../../api/health-hours.js';
import classes from './health-strip.module.css';
import { healthWords } from './health-words.js';

/** An agent's health in the last day: a mark for each hour, whose form says the state as its colour does. */
export function HealthStrip({ agentId }: { readonly agentId: string }) {
  const hours = useHealthHours(agentId) ?? [];
  const words = useClock((now) => healthWords(hours, now));
  if (hours.length === 0) return <span className={classes.strip} />;
  return (
    <span className={classes.strip} role="img" aria-label={words} title={words}>
      {hours.map((health, hour) => (
        <span key={hour - hours.length} className={classes.hour} data-health={health} />
      ))}
    </span>
  );
}
