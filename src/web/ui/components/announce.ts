import { notifications } from '@mantine/notifications';

/** Shows a success message for a few seconds, also to screen readers. */
export function showDone(message: string): void {
  notifications.show({ message, color: 'green', withBorder: true, autoClose: 4_000 });
}

/** Shows a failure with its reason until it is closed. */
export function showFailure(title: string, error: unknown): void {
  notifications.show({
    title,
    message: error instanceof Error ? error.message : String(error),
    color: 'red',
    withBorder: true,
    autoClose: false,
  });
}
