import { useLocalStorage } from '@mantine/hooks';

/** Whether keys of one character act. A person who speaks to the browser switches them off. */
export function useKeyChoice(): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useLocalStorage({
    key: 'single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [isOn, setOn];
}
