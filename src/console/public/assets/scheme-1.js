// Sets the colour scheme before the first paint; the strict Content-Security-Policy allows no inline script for it.
// Assets are cached for ever: with another content the file needs another number in its name.
(() => {
  let scheme = null;
  try {
    scheme = localStorage.getItem('rapport-color-scheme');
  } catch {
    // Storage may be closed to us; then the system decides.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
