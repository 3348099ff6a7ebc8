import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './styles/page.css';

const page = document.getElementById('page');
if (page === null) throw new Error('The page has no place for its content.');
createRoot(page).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
