/** The quiet sound of an alert, generated: two soft tones. */

/** Hertz. */
const TONES = [587, 784];
const TONE_SECONDS = 0.18;
const VOLUME = 0.06;

let audio: AudioContext | null = null;

/** Play it. Browsers allow sound only after the operator has used the page; until then nothing is heard. */
export async function playAlertSound(): Promise<void> {
  audio ??= new AudioContext();
  if (audio.state === 'suspended') await Promise.race([audio.resume(), new Promise((done) => setTimeout(done, 500))]);
  if (audio.state !== 'running') return;
  for (const [index, frequency] of TONES.entries())
    playTone(audio, frequency, audio.currentTime + index * TONE_SECONDS);
}

function playTone(context: AudioContext, frequency: number, at: number): void {
  const tone = new OscillatorNode(context, { type: 'sine', frequency });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(VOLUME, at + TONE_SECONDS / 6);
  volume.gain.linearRampToValueAtTime(0, at + TONE_SECONDS * 1.5);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + TONE_SECONDS * 1.5);
}
