import { notifications } from '@mantine/notifications';

/** Says that something is done, for as long as it takes to read; screen readers are told too. */
export function showDone(message: string): void {
  notifications.show({ message, color: 'green', withBorder: true, autoClose: 4_000 });
}

/** Says that something was not done, and why; it stays until it is closed. */
export function showFailure(title: string, error: unknown): void {
  notifications.show({
    title,
    message: error instanceof Error ? error.message : String(error),
    color: 'red',
    withBorder: true,
    autoClose: false,
  });
}
