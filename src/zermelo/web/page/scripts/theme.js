// Sets the chosen colours before the first paint: a plain script in the head, not a module.
try {
  const theme = localStorage.getItem("zermelo-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the colours of the system.
}
