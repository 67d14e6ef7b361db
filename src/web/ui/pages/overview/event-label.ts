/** `heartbeat_lost` as people write it: `Heartbeat lost`. */
export function eventLabel(eventType: string): string {
  const words = eventType.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
