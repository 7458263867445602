/** Has the files of this build kept, so that the next visit needs no server. There is nothing to keep of a dev server. */
export async function keepForOffline(): Promise<void> {
  // Missing where the address is not secure.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(`${import.meta.env.BASE_URL}service-worker.js`);
  } catch (cause) {
    console.warn('The demo will need its server again:', cause);
  }
}
