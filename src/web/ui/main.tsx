import '@mantine/core/styles.css';
import { createTheme, MantineProvider, Title } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={createTheme({})} defaultColorScheme="auto">
      <Title>Agent control plane</Title>
    </MantineProvider>
  </StrictMode>,
);
