#include "trainer/compute/onednn_product.h"

#include <stdlib.h>

#include "sim/base/memory.h"

static const dnnl_dims_t strides = {1, 1};

#if DNNL_VERSION_MAJOR >= 3

dnnl_status_t layout_create(Layout **layout, int32_t rank, const dnnl_dims_t sizes,
                            dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    return dnnl_memory_desc_create_with_tag(layout, rank, sizes, type, tag);
}

void layout_destroy(Layout *layout)
{
    dnnl_memory_desc_destroy(layout);
}

dnnl_status_t product_describe_forward(const Product *product, dnnl_engine_t engine,
                                       const_dnnl_primitive_attr_t attributes,
                                       dnnl_primitive_desc_t *description)
{
    const dnnl_dims_t padding = {product->padding, product->padding};
    if (product->is_dense)
        return dnnl_inner_product_forward_primitive_desc_create(
            description, engine, dnnl_forward_training, product->in, product->kernel, product->bias,
            product->out, attributes);
    return dnnl_convolution_forward_primitive_desc_create(
        description, engine, dnnl_forward_training, dnnl_convolution_direct, product->in,
        product->kernel, product->bias, product->out, strides, NULL, padding, padding, attributes);
}

dnnl_status_t product_describe_backward_data(const Product *product, dnnl_engine_t engine,
                                             const_dnnl_primitive_desc_t forward,
                                             dnnl_primitive_desc_t *description)
{
    const dnnl_dims_t padding = {product->padding, product->padding};
    if (product->is_dense)
        return dnnl_inner_product_backward_data_primitive_desc_create(
            description, engine, product->in, product->kernel, product->out, forward, NULL);
    return dnnl_convolution_backward_data_primitive_desc_create(
        description, engine, dnnl_convolution_direct, product->in, product->kernel, product->out,
        strides, NULL, padding, padding, forward, NULL);
}

dnnl_status_t product_describe_backward_weights(const Product *product, dnnl_engine_t engine,
                                                const_dnnl_primitive_desc_t forward,
                                                dnnl_primitive_desc_t *description)
{
    const dnnl_dims_t padding = {product->padding, product->padding};
    if (product->is_dense)
        return dnnl_inner_product_backward_weights_primitive_desc_create(
            description, engine, product->in, product->kernel, product->bias, product->out, forward,
            NULL);
    return dnnl_convolution_backward_weights_primitive_desc_create(
        description, engine, dnnl_convolution_direct, product->in, product->kernel, product->bias,
        product->out, strides, NULL, padding, padding, forward, NULL);
}

dnnl_status_t product_append_relu(dnnl_post_ops_t after)
{
    return dnnl_post_ops_append_eltwise(after, dnnl_eltwise_relu, 0.0f, 0.0f);
}

#else

dnnl_status_t layout_create(Layout **layout, int32_t rank, const dnnl_dims_t sizes,
                            dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    *layout = memory_zeroed(sizeof **layout);
    return dnnl_memory_desc_init_by_tag(*layout, rank, sizes, type, tag);
}

void layout_destroy(Layout *layout)
{
    free(layout);
}

/* An operation of version 2. oneDNN copies it into the description. */
typedef union {
    dnnl_inner_product_desc_t dense;
    dnnl_convolution_desc_t convolution;
} Operation;

static dnnl_status_t describe(dnnl_status_t result, const Operation *operation,
                              dnnl_engine_t engine, const_dnnl_primitive_attr_t attributes,
                              const_dnnl_primitive_desc_t forward,
                              dnnl_primitive_desc_t *description)
{
    return result == dnnl_success
               ? dnnl_primitive_desc_create(description, operation, attributes, engine, forward)
               : result;
}

dnnl_status_t product_describe_forward(const Product *product, dnnl_engine_t engine,
                                       const_dnnl_primitive_attr_t attributes,
                                       dnnl_primitive_desc_t *description)
{
    const dnnl_dims_t padding = {product->padding, product->padding};
    Operation operation;
    const dnnl_status_t result =
        product->is_dense
            ? dnnl_inner_product_forward_desc_init(&operation.dense, dnnl_forward_training,
                                                   product->in, product->kernel, product->bias,
                                                   product->out)
            : dnnl_convolution_forward_desc_init(&operation.convolution, dnnl_forward_training,
                                                 dnnl_convolution_direct, product->in,
                                                 product->kernel, product->bias, product->out,
                                                 strides, padding, padding);
    return describe(result, &operation, engine, attributes, NULL, description);
}

dnnl_status_t product_describe_backward_data(const Product *product, dnnl_engine_t engine,
                                             const_dnnl_primitive_desc_t forward,
                                             dnnl_primitive_desc_t *description)
{
    const dnnl_dims_t padding = {product->padding, product->padding};
    Operation operation;
    const dnnl_status_t result =
        product->is_dense ? dnnl_inner_product_backward_data_desc_init(
                                &operation.dense, product->in, product->kernel, product->out)
                          : dnnl_convolution_backward_data_desc_init(
                                &operation.convolution, dnnl_convolution_direct, product->in,
                                product->kernel, product->out, strides, padding, padding);
    return describe(result, &operation, engine, NULL, forward, description);
}

dnnl_status_t product_describe_backward_weights(const Product *product, dnnl_engine_t engine,
                                                const_dnnl_primitive_desc_t forward,
                                                dnnl_primitive_desc_t *description)
{
    const dnnl_dims_t padding = {product->padding, product->padding};
    Operation operation;
    const dnnl_status_t result =
        product->is_dense
            ? dnnl_inner_product_backward_weights_desc_init(
                  &operation.dense, product->in, product->kernel, product->bias, product->out)
            : dnnl_convolution_backward_weights_desc_init(
                  &operation.convolution, dnnl_convolution_direct, product->in, product->kernel,
                  product->bias, product->out, strides, padding, padding);
    return describe(result, &operation, engine, NULL, forward, description);
}

dnnl_status_t product_append_relu(dnnl_post_ops_t after)
{
    return dnnl_post_ops_append_eltwise(after, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f);
}

#endif
