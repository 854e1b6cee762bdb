/** Save a text as a file under the given name. */
export function downloadFile(name: string, text: string, media = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${media};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
