/** Shows the encoding, the segments and the remaining characters of a text. */
import type { StoredMessage } from "../../src/record/Model.ts"

type Preview = StoredMessage["preview"]

const maxBars = 12
const barWidth = 64

const Bars = ({ preview }: { preview: Preview }) => {
  const { remaining, segments, unitsPerSegment } = preview
  const bars = Math.min(segments, maxBars)
  const used = barWidth * (1 - remaining / unitsPerSegment)
  return (
    <svg class="bars" viewBox={`0 0 ${bars * (barWidth + 4)} 6`} aria-hidden="true">
      {Array.from({ length: bars }, (_, index) => (
        <g key={index} transform={`translate(${index * (barWidth + 4)} 0)`}>
          <rect class="bar" width={barWidth} height="6" rx="3" />
          <rect
            class="bar-used"
            width={index === segments - 1 ? Math.max(used, 6) : barWidth}
            height="6"
            rx="3"
          />
        </g>
      ))}
    </svg>
  )
}

const maxCharacters = 16

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const Reasons = ({ characters }: { characters: ReadonlyArray<string> }) => (
  <div class="reasons">
    <span>UCS-2 because of</span>
    <ul>
      {characters.slice(0, maxCharacters).map((character) => (
        <li key={character}>
          <bdi>{character}</bdi> <small>{codePoint(character)}</small>
        </li>
      ))}
    </ul>
    {characters.length > maxCharacters ? (
      <span>and {characters.length - maxCharacters} more</span>
    ) : null}
  </div>
)

const segmentCount = (count: number): string => (count === 1 ? "segment" : "segments")

export const Segments = ({ preview }: { preview: Preview }) => (
  <div class="segments">
    <dl class="figures">
      <div>
        <dt>Encoding</dt>
        <dd>{preview.encoding}</dd>
      </div>
      <div>
        <dt>Split into</dt>
        <dd>
          {preview.segments.toLocaleString()} {segmentCount(preview.segments)}
        </dd>
      </div>
      <div>
        <dt>Remaining characters</dt>
        <dd>{preview.remaining}</dd>
      </div>
    </dl>
    <Bars preview={preview} />
    {preview.ucs2Characters.length > 0 ? <Reasons characters={preview.ucs2Characters} /> : null}
  </div>
)
