import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from 'react-router/dom';
import { askForStepUpBy } from '../api/request.js';
import { styleNonce } from '../components/page-meta.js';
import { Overlay } from '../components/overlay.js';
import { queryClient } from './query-client.js';
import { router } from './router.js';
import { cssVariables, theme } from './theme.js';

// read when it is first needed; if it can't be read, the request fails with that
askForStepUpBy(async () => (await import('../components/proofs.js')).stepUp());

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications position="bottom-right" limit={3} />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Overlay />
      </QueryClientProvider>
    </MantineProvider>
  );
}
