/** The protocol of a vendor: translates between messages in no vendor's shape and what it sends and receives. */
import type { Outbound } from '../../platform/outbound.ts';
import type { AnswerBuilder } from './answer.ts';
import type { ModelMessage, ModelTool } from './message.ts';

export interface ModelAccess {
  readonly apiKey: string;
  /** Without a trailing slash: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** The app's only way to make outbound requests. */
  readonly stream: Outbound['stream'];
}

export interface WireRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Null: the model's default. */
  readonly temperature: number | null;
  /** Maximum length of the answer, tokens; undefined: the model decides. */
  readonly maxTokens: number | undefined;
}

/** A vendor's protocol. */
export interface Wire {
  /** Build the request for one streamed answer. */
  buildCall(
    access: Pick<ModelAccess, 'apiKey' | 'baseUrl'>,
    request: WireRequest,
  ): { readonly url: string; readonly headers: Record<string, string>; readonly body: object };
  /**
   * Create the reader of one answer, which is called with the data of each event. It throws `UnreadableAnswer` on data
   * in another shape, and `VendorError` if the vendor reports an error within the stream.
   */
  createReader(answer: AnswerBuilder): (data: string) => void;
}
