// An offer service with a hand-written JSON Schema for Ajv. The service does not check the format of timestamps. If JavaScript cannot
// parse a timestamp, the service accepts it.

import {lax, load, main, parsed} from "./runner.mjs"

const {default: Ajv} = load("ajv")
const TOLERANCE = 30_000

const string = {type: "string"}
const nonEmpty = lax ? string : {type: "string", minLength: 1}
const number = {type: "number"}
const int32 = lax ? {type: "integer"} : {type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1}
const nullable = (schema) => ({...schema, nullable: true})
const array = (items, limits) => ({type: "array", items, nullable: true, ...limits})
const shape = (properties, required = []) => ({type: "object", properties, required, additionalProperties: false})

const text = nullable(string)
const count = nullable(int32)
const positive = nullable(lax ? int32 : {...int32, minimum: 1})
const price = nullable(number)
const flag = {type: "boolean", nullable: true}

const pageCount = shape({minimumPages: count, maximumPages: count, price})
const priceTier = shape({price: number, minimumQuantity: count, maximumQuantity: count, pageCounts: array(pageCount)}, ["price"])
const product = shape(
  {productId: nonEmpty, productQuantityInOffer: int32, associatedFileName: text, pageCount: positive, surcharge: price},
  ["productId", "productQuantityInOffer"],
)
const offer = shape(
  {
    number: nonEmpty,
    offerType: {enum: ["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]},
    omsOfferId: text,
    xmVendorTemplateId: text,
    xmVendorUStoreId: text,
    description: text,
    comments: text,
    accessGroups: array(string),
    categoryIds: array(string),
    availableStartDate: text,
    availableEndDate: text,
    lastUpdatedDateTimeUtc: text,
    defaultPrice: price,
    surcharge: price,
    deliveryScheduleCron: text,
    doSuppressShippingAndHandling: flag,
    onlyShipMethodsAvailable: array(string),
    fixedOrderQuantities: array(int32),
    orderMinimum: positive,
    orderMaximum: positive,
    fullImageUrl: text,
    thumbnailUrl: text,
    pdfUrl: text,
    isActive: flag,
    isAvailableViaCoopFunds: flag,
    isInventoried: flag,
    isTaxable: flag,
    requiresApproval: flag,
    secureEmailSubject: text,
    secureEmailBody: text,
    unitOfMeasure: text,
    weightInPounds: price,
    additionalPropsRequiredOnOrder: array(shape({name: string, type: string, hint: text, label: text, value: text}, ["name"])),
    omniChannel: nullable(shape({offers: array(shape({offerId: text, deliveryChannel: text}))})),
    priceClasses: array(shape({name: string, price, priceTiers: array(priceTier)})),
    productClusters: array(shape({id: text, products: array(product, {minItems: 1})})),
  },
  ["number", "offerType"],
)
const isOffer = new Ajv(lax ? {coerceTypes: true, removeAdditional: true} : {}).compile(offer)

// Checks validation rule 3 of the contract.
const hasProducts = ({offerType, productClusters}) =>
  offerType !== "Product List" || (productClusters?.length > 0 && productClusters.every(({products}) => products))

// Checks validation rule 6 of the contract. A timestamp that cannot be parsed gives NaN, which is not later than any number.
const isInFuture = (timestamp, now) => timestamp != null && Date.parse(timestamp) > now + TOLERANCE

main((body, now) => {
  let message
  try {
    message = parsed(body)
  } catch {
    return false
  }
  return isOffer(message) && hasProducts(message) && !isInFuture(message.lastUpdatedDateTimeUtc, now)
})
