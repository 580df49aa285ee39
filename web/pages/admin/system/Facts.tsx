interface Props {
  facts: [label: string, value: string][]
}

/** A list of numbers with labels. */
export function Facts({ facts }: Props) {
  return (
    <dl className="system-facts ruled">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt className="soft">{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
