import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme, storedTheme } from './shell/theme.ts';
import './styles/page.css';

const page = document.getElementById('page');
if (page === null) throw new Error('The page has no place for its content.');
applyTheme(storedTheme());
createRoot(page).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
